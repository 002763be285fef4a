import { describe, expect, it } from "vitest";
import { LOGIN_CODE, type LoginCode, useCode, withCode } from "./login-code.ts";

const { goodForMs, rememberedMs, most } = LOGIN_CODE;

describe("a login code", () => {
  const made = withCode([], "a", 1_000);

  it("is good once", () => {
    const [codes, verdict] = useCode(made, "a", 1_000);
    expect(verdict).toBe("good");
    expect(useCode(codes, "a", 1_001)[1]).toBe("used");
  });

  it.each([
    [goodForMs - 1, "good"],
    [goodForMs, "expired"],
    [rememberedMs - 1, "expired"],
    [rememberedMs, "unknown"],
  ] as const)("is, after %i ms, %s", (afterMs, verdict) => {
    expect(useCode(made, "a", 1_000 + afterMs)[1]).toBe(verdict);
  });

  it("is unknown if it was never made", () => {
    expect(useCode(made, "b", 1_000)).toEqual([made, "unknown"]);
  });

  it("does not use up another", () => {
    const [codes] = useCode(withCode(made, "b", 1_000), "a", 1_000);
    expect(useCode(codes, "b", 1_000)[1]).toBe("good");
  });

  it("gives way when there are too many", () => {
    let codes: readonly LoginCode[] = [];
    for (let count = 0; count <= most; count += 1) codes = withCode(codes, `c${count}`, 0);
    expect(codes.length).toBe(most);
    expect(useCode(codes, "c0", 0)[1]).toBe("unknown");
    expect(useCode(codes, `c${most}`, 0)[1]).toBe("good");
  });
});
