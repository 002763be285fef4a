/** Of a program's screen; a window that is larger does not count as more. */
export const SIZE_LIMITS = { cols: 1_000, rows: 500 } as const;
