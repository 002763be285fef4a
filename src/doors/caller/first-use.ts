/** Loads once, for all who ask meanwhile; after a failure, the next who asks tries again. */
export function onFirstUse<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    if (loading !== undefined) return loading;
    const attempt = load();
    loading = attempt;
    attempt.catch(() => {
      loading = undefined;
    });
    return attempt;
  };
}
