import { it } from "vitest";
import { playDay } from "../../tests/office-chaos.ts";

it("x", async () => {
  await playDay(
    { program: "stashing", hooks: "none", inbox: "offered" } as never,
    [
      { do: "die-at", step: "native.after-hand-over" },
      { do: "send", priority: "normal", by: "agent", atMostOnce: false },
      { do: "gate", outcome: { kind: "refused", because: ["typing"] } },
      { do: "pass", ms: 50 },
      { do: "disk-full" },
      { do: "send", priority: "normal", by: "person", atMostOnce: false },
      { do: "pass", ms: 50 },
      { do: "type" },
      { do: "pass", ms: 125000 },
      { do: "send", priority: "normal", by: "person", atMostOnce: false },
      { do: "pass", ms: 50 },
      { do: "type" },
      { do: "lose-answer" },
      { do: "send", priority: "normal", by: "person", atMostOnce: false },
    ] as never,
    "wild",
  );
}, 60000);
