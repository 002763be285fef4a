/** Limits for a program's screen; a larger window counts as this size. */
export const SIZE_LIMITS = { cols: 1_000, rows: 500 } as const;
