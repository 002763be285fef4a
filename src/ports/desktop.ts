/** The desktop that the person may sit at. */
export interface Desktop {
  /** Rejects with why it could not be shown. */
  notify(text: string): Promise<void>;
  /** Why nothing can be shown there, as far as that is known without trying. */
  obstacle(): string | undefined;
}
