/** What everything that connects again has to know: how to be stopped, and whether anything was sent. */
/** Rejects when the signal says so: closing waits for nothing that hangs. */
export function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error("the bridge is closed"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

const BEFORE_CONNECTED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EADDRNOTAVAIL",
  "EMFILE",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** A failure with this code came before there was a connection: nothing was sent. */
export function isBeforeConnected(code: string): boolean {
  return BEFORE_CONNECTED.has(code);
}
