import { expect, it } from "vitest";
import { momentInWords } from "./moment.ts";

it("is the time of day, and the day if it is another one", () => {
  const noon = new Date(2026, 10, 17, 12, 3).getTime();
  expect(momentInWords(noon, noon + 60_000)).toBe("12:03");
  expect(momentInWords(noon, noon + 86_400_000)).toBe("Nov 17, 12:03");
  expect(momentInWords(noon, noon + 366 * 86_400_000)).toBe("Nov 17, 12:03");
});
