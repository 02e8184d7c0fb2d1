/** Every queue of background work. The owner makes them when it migrates. */
export const queues = [
  // A text message that did not leave after these tries is of no use any more: its code has expired.
  { name: 'send-sms', retryLimit: 4, retryDelay: 2, retryBackoff: true, expireInSeconds: 30, deleteAfterSeconds: 86_400 },
] as const

export type QueueName = (typeof queues)[number]['name']
