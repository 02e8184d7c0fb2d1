/** The people of the demo, by the last two digits of their phone. The README lists them. */
export const demoPhone = (number: number): string => `+9190000000${String(number).padStart(2, '0')}`
