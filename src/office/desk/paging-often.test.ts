/** The person's phone does not ring without end for a program that asks again and again. */
import { describe, expect, it } from "vitest";
import type { Desk } from "../../../tests/desk/desk.ts";
import { asksFor, leaves, withPhone } from "../../../tests/desk/paged.ts";

const OFTEN =
  "[coder] asks often: for a while, not every question is told here.\nAll of them: bellhop attention";

type Coder = Awaited<ReturnType<typeof withPhone>>["coder"];

async function countsDown(desk: Desk, { program }: Coder, seconds: number, from = 600): Promise<void> {
  for (let left = from; left > from - seconds; left -= 1) {
    program.becomes({ dialog: asksFor(`touch a\n(denied in ${left} s)`) });
    await desk.advance(1_000);
  }
}

async function asksAndIsAnswered(desk: Desk, { program }: Coder, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(2_000);
    program.answersDialog();
    await desk.advance(2_000);
  }
}

describe("a dialog whose text changes while it stands", () => {
  it("is told now and then, not at each change, if the person is away", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    await countsDown(desk, coder, 50);
    expect(phone.texts().map((text) => text.split("\n")[0])).toEqual(
      Array(3).fill("[coder] asks for a permission:"),
    );
  });

  it("is told after a while if the person is there, however often it changes", async () => {
    const { desk, coder, phone } = await withPhone();
    await countsDown(desk, coder, 18);
    expect(phone.texts()).toEqual([]);
    await countsDown(desk, coder, 12, 500);
    expect(phone.texts()).toHaveLength(1);
  });

  it("gives the next dialog the whole time if it was answered in between", async () => {
    const { desk, coder, phone } = await withPhone();
    await countsDown(desk, coder, 18);
    coder.program.answersDialog();
    await desk.advance(2_000);
    await countsDown(desk, coder, 18);
    expect(phone.texts()).toEqual([]);
  });

  it("is answered from outside only as it was shown", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    await countsDown(desk, coder, 10);
    await phone.presses("Approve");
    await desk.advance(5_000);
    expect(coder.program.answers).toEqual([]);
    expect(phone.texts().at(-1)).toMatch(/^\[coder\] asks for a permission:/u);
    await phone.presses("Approve");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
  });
});

describe("a program that asks again and again", () => {
  it("is told five times in five minutes, then that there is more, and later what it still asks", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    await asksAndIsAnswered(desk, coder, 30);
    expect(phone.texts()).toHaveLength(6);
    expect(phone.texts().indexOf(OFTEN)).toBe(5);
    expect(phone.heard[5]?.buttons).toBeUndefined();
    coder.program.becomes({ dialog: asksFor("touch b") });
    await desk.advance(60_000);
    expect(phone.texts()).toHaveLength(6);
    await desk.advance(200_000);
    expect(phone.texts().slice(6)).toEqual(["[coder] asks for a permission:\nAllow this?\ntouch b"]);
    await phone.presses("Approve");
    await desk.advance(10_000);
    expect(coder.program.answers.at(-1)).toBe("1");
  });

  it("does not keep others from being told", async () => {
    const { desk, coder, docs, phone } = await withPhone();
    leaves(desk);
    await asksAndIsAnswered(desk, coder, 10);
    docs.program.becomes({ dialog: asksFor("touch b") });
    await desk.advance(5_000);
    expect(phone.texts().at(-1)).toMatch(/^\[docs\] asks for a permission:/u);
  });

  it("is told each time if the person answers from outside", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    for (let time = 0; time < 8; time += 1) {
      coder.program.becomes({ dialog: asksFor(`touch ${time}`) });
      await desk.advance(5_000);
      await phone.presses(
        "Approve",
        phone.texts().findLastIndex((text) => text.startsWith("[coder]")),
      );
      await desk.advance(10_000);
    }
    expect(phone.texts().filter((text) => text.startsWith("[coder] asks for"))).toHaveLength(8);
    expect(coder.program.answers).toHaveLength(8);
  });
});
