/**
 * The codes in the links that `bellhop open` makes: each is good for one login, for a short time. Only digests are kept,
 * in memory alone: a restart ends all of them. A used or expired one is remembered for a while, to say what happened.
 */
export const LOGIN_CODE = {
  bytes: 16,
  goodForMs: 120_000,
  /** How long a code that is no longer good is remembered. */
  rememberedMs: 10 * 60_000,
  most: 64,
} as const;

export interface LoginCode {
  readonly digest: string;
  /** By a clock that nobody sets. */
  readonly madeAt: number;
  readonly state: "unused" | "used";
}

export type CodeVerdict = "good" | "used" | "expired" | "unknown";

/** The oldest gives way to one too many. */
export function withCode(codes: readonly LoginCode[], digest: string, now: number): readonly LoginCode[] {
  const made: LoginCode = { digest, madeAt: now, state: "unused" };
  return [...remembered(codes, now), made].slice(-LOGIN_CODE.most);
}

/** Whatever the verdict, it is never good again. */
export function useCode(
  codes: readonly LoginCode[],
  digest: string,
  now: number,
): readonly [readonly LoginCode[], CodeVerdict] {
  const known = remembered(codes, now);
  const found = known.find((code) => code.digest === digest);
  if (found === undefined) return [known, "unknown"];
  if (found.state === "used") return [known, "used"];
  if (now - found.madeAt >= LOGIN_CODE.goodForMs) return [known, "expired"];
  return [known.map((code) => (code === found ? { ...code, state: "used" } : code)), "good"];
}

function remembered(codes: readonly LoginCode[], now: number): readonly LoginCode[] {
  return codes.filter(({ madeAt }) => now - madeAt < LOGIN_CODE.rememberedMs);
}
