import { describe, expect, it } from "vitest";
import { oneAgent } from "../../../tests/desk/desk.ts";

describe("what was left unconfirmed", () => {
  it("is delivered once the screen shows it, with the reason", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    await desk.advance(11_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    coder.program.prints(`you: ${coder.program.submitted[0]}`);
    await desk.advance(3_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "screen" });
    expect(desk.lastNote(sent)).toBe("late evidence");
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("is delivered late also by the next daemon", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    await desk.advance(11_000);
    coder.program.prints(`you: ${coder.program.submitted[0]}`);
    await desk.open();
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("is delivered late also where it shows while proof of the next one is waited for", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    coder.program.echoes = "no";
    const first = await desk.send("coder", "hello");
    await desk.advance(11_000);
    const second = await desk.send("coder", "and now");
    await desk.advance(6_000);
    coder.program.prints(`you: ${coder.program.submitted[0]}`);
    await desk.advance(2_000);
    expect([desk.state(first), desk.state(second)]).toEqual(["unconfirmed", "delivering"]);
    await desk.advance(9_000);
    expect([desk.state(first), desk.state(second)]).toEqual(["delivered", "unconfirmed"]);
  });

  it("stays so when the screen shows something else", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    coder.program.echoes = "otherwise";
    const sent = await desk.send("coder", "hello");
    await desk.advance(11_000);
    coder.program.prints("you: good evening");
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("stays so where more was required than a screen can prove", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    await desk.hooked(coder);
    coder.program.onSubmit = () => {};
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello", { require: "submitted" });
    await desk.advance(11_000);
    coder.program.prints(`you: ${coder.program.submitted[0]}`);
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("unconfirmed");
  });
});
