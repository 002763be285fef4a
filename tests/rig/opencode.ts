import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FakeModel } from "./fake-model.ts";

/** As `provider/model`. */
export const OPENCODE_MODEL = "rig/rig-model";

/** The settings of somebody whose only provider is the fake model, and who allows everything. */
export function settleOpencodeUser(home: string, model: FakeModel): void {
  const folder = join(home, ".config", "opencode");
  mkdirSync(folder, { recursive: true });
  const scripted = {
    name: "Scripted",
    limit: { context: 200_000, output: 8_000 },
    cost: { input: 3, output: 15 },
  };
  const config = {
    autoupdate: false,
    share: "disabled",
    model: OPENCODE_MODEL,
    small_model: OPENCODE_MODEL,
    permission: { "*": "allow", bash: "allow", edit: "allow" },
    provider: {
      rig: {
        // One that is part of the program: others are installed from the registry.
        npm: "@ai-sdk/anthropic",
        name: "rig",
        options: { baseURL: `${model.url}/v1`, apiKey: "none" },
        models: { "rig-model": scripted },
      },
    },
  };
  writeFileSync(join(folder, "opencode.json"), JSON.stringify(config));
}

/** It talks to the fake model and to nothing else. */
export function opencodeEnvironment(): Readonly<Record<string, string>> {
  return {
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_SHARE: "1",
  };
}
