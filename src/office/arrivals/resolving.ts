import { BellhopError } from "../../core/errors.ts";
import type { Address } from "../../core/message.ts";
import type { Directory } from "../presence/directory.ts";
import type { Registrar } from "./registrar.ts";

/** A name nobody has yet may belong to a program that started a moment ago: look once before saying no. */
export async function resolveFresh(
  { directory, registrar }: { readonly directory: Directory; readonly registrar: Registrar },
  who: string,
): Promise<Address> {
  try {
    return directory.resolve(who);
  } catch (error) {
    if (!(error instanceof BellhopError) || error.code !== "recipient.unknown") throw error;
    await registrar.scan();
    return directory.resolve(who);
  }
}
