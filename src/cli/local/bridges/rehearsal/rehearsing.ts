/** Carries out `bellhop bridge rehearse`: a whole story, with nothing outside this machine. Loaded on demand. */
import type { BridgeName } from "../../../../core/outside/places.ts";
import type { Arguments } from "../../../command.ts";
import type { CommandContext } from "../../../context.ts";
import type { RehearsedPlatform } from "./platform.ts";
import { Screen } from "./screen.ts";
import { RehearsalStage } from "./stage.ts";

/** Each is loaded only for its own rehearsal. */
const STARTS: Readonly<Record<BridgeName, (stage: RehearsalStage) => Promise<RehearsedPlatform>>> = {
  telegram: async () => (await import("./telegram.ts")).startTelegram(),
  slack: async () => (await import("./slack.ts")).startSlack(),
  email: async () => (await import("./email.ts")).startProvider(),
  webhook: async () => (await import("./webhook.ts")).startServices(),
  imessage: async (stage) => (await import("./imessage.ts")).startMessages(stage),
};

export async function rehearseBridge(
  context: CommandContext,
  { words: [name = ""] }: Arguments,
): Promise<undefined> {
  const { out } = context;
  const stage = new RehearsalStage(context, context.abandoned());
  let platform: RehearsedPlatform | undefined;
  try {
    platform = await STARTS[name as BridgeName](stage);
    const screen = new Screen(stage, out);
    screen.line(platform.introduction);
    out.progress("Starting them…");
    await stage.open(platform).finally(() => out.progress(""));
    stage.goOn();
    await platform.play(stage, screen);
    stage.goOn();
    if (out.json) out.value({ rehearsed: name, conversation: screen.conversation });
  } catch (error) {
    throw stage.explained(error);
  } finally {
    out.progress("Cleaning up…");
    await stage.end();
    await platform?.close();
    stage.clear();
    out.progress("");
  }
  if (!out.json) out.line(`Everything is gone again. The real one: bellhop bridge add ${name}`);
}
