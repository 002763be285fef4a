/** The code of the refusal; undefined if it was not refused. */
export async function refusal(asking: Promise<unknown>): Promise<string | undefined> {
  try {
    await asking;
    return undefined;
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === undefined) throw error;
    return code;
  }
}
