/** The computer that the person may be sitting at. What cannot be found out is left out. */
export interface Seat {
  use(): Promise<SeatUse>;
}

export interface SeatUse {
  readonly isLocked?: boolean;
  /** Since the last key or movement. */
  readonly idleMs?: number;
}
