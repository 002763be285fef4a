import { describe, expect, it } from "vitest";
import {
  course,
  dialog,
  draft,
  empty,
  FOREVER,
  hook,
  kindAt,
  screen,
  T,
  turn,
  unreadable,
  working,
} from "../../../tests/readiness-signals.ts";
import { readinessAt, type Signal } from "./readiness.ts";

describe("dialogs", () => {
  it("block at once, whatever was known", () => {
    expect(kindAt([screen(dialog, 10)], 10)).toBe("blocked");
    expect(kindAt([...turn, screen(dialog, 9_050)], 9_050)).toBe("blocked");
    expect(kindAt([hook("permission-asked", 10)], 10)).toBe("blocked");
  });

  it("stay while the screen shows them, whatever a hook says meanwhile", () => {
    const seen = [...turn, screen(dialog, 12_000)];
    for (const event of ["turn-ended", "idle-notice", "prompt-submitted", "session-start"] as const) {
      const told = [...seen, hook(event, 72_000)];
      expect(kindAt(told, 73_000)).toBe("blocked");
      expect(readinessAt(course(told), T + 73_000).until).toBe(T + 72_000);
    }
    expect(kindAt([...seen, { kind: "interrupted", at: T + 13_000 }], 13_000)).toBe("blocked");
    expect(kindAt([...seen, { kind: "handed-over", at: T + 13_000 }], 13_000)).toBe("blocked");
    expect(kindAt([...seen, hook("session-ended", 72_000)], 73_000)).toBe("exited");
  });

  it("give way to busy, not to idle, when they are gone", () => {
    const inTurn = [hook("prompt-submitted", 1_000), screen(dialog, 5_000), screen(empty, 8_000)];
    expect(kindAt(inTurn, 8_000)).toBe("busy");
    expect(kindAt([...inTurn, screen(empty, 12_000, 4_000)], 12_000)).toBe("busy");
    expect(kindAt([...inTurn, hook("turn-ended", 12_000)], 12_700)).toBe("idle");
  });

  it("that a person opened while idle need two quiet seconds afterwards", () => {
    const closed = [...turn, screen(dialog, 20_000), screen(empty, 25_000, 0)];
    expect(kindAt(closed, 25_000)).toBe("busy");
    expect(kindAt([...closed, screen(empty, 27_000, 2_000)], 27_000)).toBe("idle");
  });

  it("told by a hook wait for the screen to show them, then follow the screen", () => {
    const asked = [hook("prompt-submitted", 1_000), hook("permission-asked", 5_000)];
    expect(readinessAt(course(asked), T + 5_100).until).toBe(T + 6_000);
    expect(kindAt([...asked, screen(working, 5_500)], 5_500)).toBe("blocked");
    expect(kindAt([...asked, screen(working, 6_000)], 6_000)).toBe("busy");
  });

  it("that vanish under an unreadable screen leave us not knowing", () => {
    expect(kindAt([...turn, screen(dialog, 12_000), screen(unreadable, 13_000)], 13_000)).toBe("unknown");
  });

  it("are not closed by a reading that is older than the one that showed them", () => {
    expect(kindAt([...turn, screen(dialog, 12_000), screen(empty, 11_900)], 12_100)).toBe("blocked");
  });
});

describe("our own acts", () => {
  const idle = [...turn, screen(empty, 11_000, 2_000)];
  const handed: readonly Signal[] = [...idle, { kind: "handed-over", at: T + 12_000 }];
  const interrupted: readonly Signal[] = [
    hook("prompt-submitted", 1_000),
    { kind: "interrupted", at: T + 5_000 },
  ];

  it("make it busy until the program says so itself", () => {
    expect(kindAt(handed, 12_000)).toBe("busy");
    expect(kindAt([...handed, screen(empty, 16_999, 4_999)], 16_999)).toBe("busy");
    expect(kindAt([...handed, hook("prompt-submitted", 12_050), screen(empty, 20_000, 7_000)], 20_000)).toBe(
      "busy",
    );
  });

  it("forget a hand-over that no hook confirms, when the screen is quiet", () => {
    expect(kindAt([...handed, screen(empty, 17_000, 5_000)], 17_000)).toBe("idle");
    expect(kindAt([...handed, screen(empty, 17_000, 1_000)], 17_000)).toBe("busy");
    expect(kindAt([...handed, screen(unreadable, 13_000)], 13_000)).toBe("busy");
    expect(kindAt([...handed, screen(unreadable, 17_000)], 17_000)).toBe("unknown");
  });

  it("are not undone by the end of a turn that came before them", () => {
    expect(
      kindAt([hook("prompt-submitted", 1_000), ...handed.slice(-1), hook("turn-ended", 11_999)], 14_000),
    ).toBe("busy");
    expect(kindAt([...handed, hook("idle-notice", 11_999)], 14_000)).toBe("busy");
    expect(kindAt([...interrupted, hook("turn-ended", 4_999)], 5_100)).toBe("busy");
  });

  it("do not undo hooks that already tell what came of them", () => {
    const quick = [...idle, hook("prompt-submitted", 12_040), hook("turn-ended", 12_400)];
    expect(kindAt([...quick, { kind: "handed-over", at: T + 12_000 }], 13_100)).toBe("idle");
  });

  it("leave a running turn as its hook told it when a prompt is handed to a busy program", () => {
    const during = [hook("prompt-submitted", 1_000), { kind: "handed-over", at: T + 2_000 } as const];
    expect(kindAt([...during, screen(empty, 20_000, 18_000)], 20_000)).toBe("busy");
    expect(kindAt([...during, hook("turn-ended", 3_000)], 3_700)).toBe("idle");
  });

  it("let the screen decide after an interrupt, once it has settled", () => {
    expect(kindAt([...interrupted, screen(empty, 5_599, 599)], 5_599)).toBe("busy");
    expect(kindAt([...interrupted, screen(empty, 5_600, 600)], 5_600)).toBe("idle");
    expect(kindAt([...interrupted, screen(draft, 5_600, 600)], 5_600)).toBe("idle");
    expect(kindAt([...interrupted, screen(working, 9_000, 4_000)], 9_000)).toBe("busy");
    expect(kindAt([...interrupted, screen(unreadable, 9_000, 4_000)], 9_000)).toBe("unknown");
  });

  it("forget the sub-agents they interrupted", () => {
    const started: Signal = { kind: "sub-agent", change: "started", id: "s1", at: T + 2_000 };
    expect(kindAt([started, ...interrupted, screen(empty, 6_000, 1_000)], 6_000)).toBe("idle");
  });
});

describe("the end of the program", () => {
  it("is final until a session starts after it", () => {
    const gone: readonly Signal[] = [...turn, { kind: "exited", at: T + 10_000 }];
    expect(kindAt([...gone, screen(empty, 20_000, 9_000), hook("turn-ended", 21_000)], 30_000)).toBe(
      "exited",
    );
    expect(kindAt([...gone, hook("session-start", 9_999)], 30_000)).toBe("exited");
    expect(kindAt([...gone, hook("session-start", 10_000)], 30_000)).toBe("starting");
    expect(kindAt([screen(dialog, 5), ...gone.slice(-1)], 30_000)).toBe("exited");
  });
});

describe("a clock that is set back", () => {
  it("does not silence the hooks of the next hour", () => {
    const ahead = [hook("prompt-submitted", FOREVER), screen(working, 1_000)];
    expect(kindAt([...ahead, hook("turn-ended", 2_000)], 2_700)).toBe("idle");
  });

  it("is not suspected because our record of an act comes late", () => {
    const told = [hook("prompt-submitted", 20_000), hook("turn-ended", 30_000)];
    const late: readonly Signal[] = [...told, { kind: "handed-over", at: T + 19_900 }];
    expect(kindAt([...late, hook("prompt-submitted", 25_000)], 31_000)).toBe("idle");
  });

  it("is not suspected because a reading was a little late", () => {
    const late = [hook("prompt-submitted", 5_000), hook("turn-ended", 5_200), screen(empty, 4_000)];
    expect(kindAt([...late, hook("prompt-submitted", 5_100)], 6_000)).toBe("idle");
  });
});
