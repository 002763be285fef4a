/** Rejects with the signal's reason as soon as it is aborted, whatever becomes of the promise. */
export async function abortable<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  // Not Promise.race with a promise that lives as long as the signal: it would remember every race.
  return await new Promise<Value>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
