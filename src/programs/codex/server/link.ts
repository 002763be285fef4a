/** A way to exchange JSON texts with a Codex server, whatever carries them. */
export interface Link {
  /** Once. `lost` may be called more than once. */
  listen(receive: (text: string) => void, lost: (error: Error) => void): void;
  send(text: string): void;
  close(): void;
}
