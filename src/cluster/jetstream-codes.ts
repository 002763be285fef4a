/** The codes of JetStream's answers that mean something to Bellhop. */
export const STREAM_MISSING = 10_059;
export const CONSUMER_MISSING = 10_014;
/** Of a stream that is meant otherwise. */
export const NAME_TAKEN = 10_058;
export const LEADERLESS: readonly number[] = [10_008, 10_009, 10_118];
export const NOT_FOR_ACCOUNT: readonly number[] = [10_035, 10_039, 10_076];
export const STORE_FAILED = 10_077;
export const NO_ROOM: readonly number[] = [10_023, 10_028, 10_047, STORE_FAILED];

export function answerCode(error: unknown): number | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
}

/** What was asked for, or undefined if JetStream says that there is none. */
export async function orMissing<T>(asked: Promise<T>, missing: number): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (answerCode(error) === missing) return undefined;
    throw error;
  }
}
