/** What the palette asks an agent's page to do, so that its outcome is shown where the agent is. */
import { signal } from "@preact/signals";
import type { ActionName } from "./actions.ts";

export const wanted = signal<{ readonly agent: string; readonly action: ActionName } | undefined>(undefined);
