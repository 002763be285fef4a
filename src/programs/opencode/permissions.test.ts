import { describe, expect, it } from "vitest";
import { permissions } from "./permissions.ts";

/** As OpenCode decides: by the last rule that matches. */
function decision(rules: ReturnType<typeof permissions>, name: string, subject = "x"): string | undefined {
  const matches = (pattern: string, text: string) =>
    new RegExp(`^${pattern.replace(/[.+^${}()|[\]\\]/gu, "\\$&").replaceAll("*", ".*")}$`, "su").test(text);
  return Object.entries(rules)
    .filter(([permission]) => matches(permission, name))
    .flatMap(([, rule]) => Object.entries<string>(typeof rule === "string" ? { "*": rule } : rule))
    .findLast(([pattern]) => matches(pattern, subject))?.[1];
}

describe("without a word from the owner", () => {
  const rules = permissions([], undefined);

  it.each(["read", "glob", "grep", "list", "skill", "todowrite"])("it may %s", (name) => {
    expect(decision(rules, name)).toBe("allow");
  });

  it.each(["bash", "edit", "webfetch", "websearch", "external_directory", "task", "lsp", "server_tool"])(
    "it may not %s",
    (name) => {
      expect(decision(rules, name)).toBe("deny");
    },
  );

  it("reads no file with secrets, about which it would ask", () => {
    expect(decision(rules, "read", "/shop/.env")).toBe("deny");
    expect(decision(rules, "read", "/shop/.env.local")).toBe("deny");
    expect(decision(rules, "read", "/shop/.env.example")).toBe("allow");
  });
});

describe("with tools", () => {
  it("it may use those, and nothing else", () => {
    const rules = permissions(["bash", "server_tool"], undefined);
    expect(decision(rules, "bash", "make")).toBe("allow");
    expect(decision(rules, "server_tool")).toBe("allow");
    expect(decision(rules, "edit")).toBe("deny");
  });

  it("a pattern allows only what it matches, also as Claude Code writes it", () => {
    const rules = permissions(["bash(make *)", "Bash(git log:*)", "Edit(docs/*)"], undefined);
    expect(decision(rules, "bash", "make test")).toBe("allow");
    expect(decision(rules, "bash", "git log -1")).toBe("allow");
    expect(decision(rules, "bash", "git push")).toBe("deny");
    expect(decision(rules, "edit", "docs/a.md")).toBe("allow");
    expect(decision(rules, "edit", "src/a.ts")).toBe("deny");
  });

  it("a pattern takes nothing from a tool that is allowed as a whole", () => {
    const rules = permissions(["bash", "bash(make *)", "grep(*.md)"], undefined);
    expect(decision(rules, "bash", "git push")).toBe("allow");
    expect(decision(rules, "grep", "*.ts")).toBe("allow");
  });

  it.each(["Write", "edit", "apply_patch"])("%s is the permission to change files", (tool) => {
    expect(decision(permissions([tool], undefined), "edit")).toBe("allow");
  });

  it.each(["opencode.json", "shop/opencode.jsonc", ".opencode/plugin/more.js", ".git/hooks/pre-commit"])(
    "it does not give itself more by a change to %s",
    (file) => {
      expect(decision(permissions(["edit"], undefined), "edit", file)).toBe("deny");
      expect(decision(permissions(["edit", "edit(*)"], undefined), "edit", file)).toBe("deny");
      expect(decision(permissions([], "allow"), "edit", file)).toBe("allow");
    },
  );

  it("files with secrets are named as such", () => {
    expect(decision(permissions(["Read"], undefined), "read", "/shop/.env")).toBe("deny");
    expect(decision(permissions(["read(*.env)"], undefined), "read", "/shop/.env")).toBe("allow");
  });
});

describe("the permission mode", () => {
  it("allows everything that asks no person", () => {
    const rules = permissions([], "allow");
    for (const name of ["bash", "edit", "external_directory", "read"])
      expect(decision(rules, name, ".env")).toBe("allow");
    for (const name of ["question", "plan_enter", "plan_exit", "task"])
      expect(decision(rules, name)).toBe("deny");
  });

  it("asks nobody", () => {
    expect(permissions([], "ask")).toEqual(permissions([], undefined));
    expect(permissions([], "deny")).toEqual(permissions([], undefined));
  });

  it("is OpenCode's own to refuse if it is unknown", () => {
    expect(permissions([], "acceptEdits")["*"]).toBe("acceptEdits");
  });
});

it("lets nobody allow what would wait for a person", () => {
  expect(decision(permissions(["task", "question"], "allow"), "task")).toBe("deny");
  expect(decision(permissions(["*"], undefined), "question")).toBe("deny");
});
