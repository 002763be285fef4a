/** What docs/websocket.md shows is what happens: each block is spoken to a real daemon's doors. */
import { describe, expect, it } from "vitest";
import { WS_TYPES } from "../../src/wire/ws/schemas.ts";
import { BrokerStage } from "./broker-stage.ts";
import { WS_BLOCKS as blocks, expected, turnsOf } from "./ws-blocks.ts";

describe("docs/websocket.md", () => {
  it("shows every type", () => {
    const shown = blocks.flatMap(turnsOf).map(({ said }) => JSON.parse(said).type as string);
    expect(WS_TYPES.filter((type) => type !== "ping" && !shown.includes(type))).toEqual([]);
  });

  it("shows what is answered", async () => {
    const stage = await BrokerStage.open();
    await stage.agents("writer", "researcher");
    let lastMessage = "";
    // Terminals are shown over a real one, in screens-keyboard.test.ts.
    for (const block of blocks.filter((text) => !/"req_id"|"screen\.open"/.test(text))) {
      const caller = await stage.ws(block.includes('"auth"') ? null : stage.token);
      for (const { said, heard } of turnsOf(block)) {
        caller.say(said.replace("TOKEN", stage.token).replace("MESSAGE", lastMessage));
        const answers = [];
        for (const { type } of heard as { type: string }[])
          answers.push(await (type.endsWith(".push") ? caller.pushes.next() : caller.answers.next()));
        expect(answers, said).toEqual(expected(heard));
        const { messageId } = answers[0] as { messageId?: string };
        lastMessage = messageId ?? lastMessage;
      }
      caller.end();
    }
  });

  it("shows the Unix socket too", async () => {
    const stage = await BrokerStage.open();
    await stage.agents("researcher");
    const caller = await stage.unix();
    const [block] = blocks.filter((text) => text.includes('"req_id"'));
    const [listen, unlisten] = turnsOf(block ?? "");
    caller.socket.write(`${listen?.said}\n`);
    expect(await caller.lines.next()).toEqual(expected(listen?.heard[0]));
    await stage.use.route({ path: "agent/researcher", command: "look", claims: { user: "dev" } });
    expect(await caller.pushes.next()).toEqual(expected(listen?.heard[1]));
    caller.socket.write(`${unlisten?.said}\n`);
    expect(await caller.lines.next()).toEqual(expected(unlisten?.heard[0]));
  });
});
