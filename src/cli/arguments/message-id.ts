/** People copy `#m7k2q9` with the `#` that we print before it. */
export function messageIdFrom(word: string | undefined): string {
  return (word ?? "").replace(/^#/, "");
}
