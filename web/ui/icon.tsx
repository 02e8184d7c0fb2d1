/** One icon set on 24 × 24 with a 2 px line, a path each. */
const paths = {
  alert: 'M12 3.5L22 20.5H2zM12 10v5M12 17.6v.6',
  arrowRight: 'M5 12h14M13 6l6 6-6 6',
  bell: 'M6 17V11a6 6 0 0112 0v6l2 2H4zM10 21.5h4',
  calendar: 'M4 6h16v15H4zM4 10.5h16M8.5 3v5M15.5 3v5',
  camera: 'M3 7h4l2-3h6l2 3h4v13H3zM12 9.5a3.8 3.8 0 100 7.6 3.8 3.8 0 000-7.6',
  check: 'M4 12.5l5.5 5.5L20 7',
  chevronDown: 'M6 9l6 6 6-6',
  chevronLeft: 'M15 6l-6 6 6 6',
  chevronRight: 'M9 6l6 6-6 6',
  chevronsLeft: 'M12 6l-6 6 6 6M19 6l-6 6 6 6',
  chevronsRight: 'M5 6l6 6-6 6M12 6l6 6-6 6',
  clock: 'M12 3a9 9 0 100 18 9 9 0 000-18zM12 7.5V12l3.2 2',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  document: 'M6 3h8l5 5v13H6zM14 3v5h5',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  edit: 'M4 20l1-5L16 4l4 4L9 19zM14 6l4 4',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  eye: 'M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12zM12 9a3 3 0 100 6 3 3 0 000-6z',
  eyeOff:
    'M4 4l16 16M9.9 5.7A11 11 0 0112 5.5c6.4 0 10 6.5 10 6.5a18 18 0 01-3 3.6M6.2 7.4A17 17 0 002 12s3.6 6.5 10 6.5a10 10 0 004-.8M9.9 9.9a3 3 0 004.2 4.2',
  help: 'M12 3a9 9 0 100 18 9 9 0 000-18zM9.4 9.4a2.7 2.7 0 115 1.4c-.7 1-2.4 1.4-2.4 3.2M12 17v.6',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 8.5v.6',
  info: 'M12 3a9 9 0 100 18 9 9 0 000-18zM12 11v5.5M12 7.4v.6',
  loans: 'M3 5h18M6 5v14M11 5v10M16 5v6',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 017 0v3',
  logout: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  mail: 'M3 6h18v13H3zM3 7l9 7 9-7',
  menu: 'M3 6h18M3 12h18M3 18h18',
  moon: 'M20 14.5A8.5 8.5 0 019.5 4a8.5 8.5 0 1010.5 10.5z',
  offline: 'M4 4l16 16M8 18H7a4 4 0 01-.8-7.9M9.5 6.4A6 6 0 0117.7 11 3.6 3.6 0 0120 17',
  phone: 'M6 3h3l1.5 5-2 1.5a12 12 0 006 6l1.5-2 5 1.5v3a2 2 0 01-2 2A16 16 0 014 5a2 2 0 012-2z',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  retry: 'M20 12a8 8 0 11-2.6-5.9M20 3v5h-5',
  search: 'M11 4a7 7 0 100 14 7 7 0 000-14zM16.2 16.2L21 21',
  shield: 'M12 3l8 3v6c0 4.6-3.4 7.8-8 9-4.6-1.2-8-4.4-8-9V6zM8.5 12l2.5 2.5L15.5 10',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
  upload: 'M12 16V5M7 9l5-5 5 5M4 20h16',
  user: 'M12 4a4 4 0 100 8 4 4 0 000-8zM4 21c.6-4 3.8-6 8-6s7.4 2 8 6',
} as const

export type IconName = keyof typeof paths
export const iconNames = Object.keys(paths) as readonly IconName[]

/** A decorative icon beside words: hidden from screen readers. */
export function Icon({ name, size = 20, className }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      className={className}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  )
}
