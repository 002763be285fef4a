/** One finding of `bellhop doctor`. */
export interface Finding {
  readonly name: string;
  readonly verdict: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do about it; always set unless all is well. */
  readonly next?: string;
}

export function well(name: string, detail: string): Finding {
  return { name, verdict: "ok", detail };
}

export function doubtful(name: string, detail: string, next: string): Finding {
  return { name, verdict: "warn", detail, next };
}

export function broken(name: string, detail: string, next: string): Finding {
  return { name, verdict: "fail", detail, next };
}
