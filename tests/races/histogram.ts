/** Offsets in milliseconds, drawn for a person who reads the test's output. */
export function histogram(title: string, offsets: readonly number[], binMs = 5, edgeMs = 40): string {
  const bins = new Map<number, number>();
  let outside = 0;
  for (const offset of offsets) {
    if (Math.abs(offset) > edgeMs) outside += 1;
    else {
      const bin = Math.floor(offset / binMs) * binMs;
      bins.set(bin, (bins.get(bin) ?? 0) + 1);
    }
  }
  const most = Math.max(1, ...bins.values());
  const rows = Array.from({ length: (2 * edgeMs) / binMs }, (_, index) => {
    const bin = -edgeMs + index * binMs;
    const count = bins.get(bin) ?? 0;
    return `  ${String(bin).padStart(4)} ms ${"█".repeat(Math.round((count / most) * 40))} ${count}`;
  });
  return [title, ...rows, `  beyond ±${edgeMs} ms: ${outside}`].join("\n");
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
