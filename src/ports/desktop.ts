/** The desktop that the person may be using. */
export interface Desktop {
  /** Rejects with the reason if it could not be shown. */
  notify(text: string): Promise<void>;
  /** Why nothing can be shown there, if that is known without trying. */
  obstacle(): string | undefined;
}
