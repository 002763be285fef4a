import { TEXT } from "../strings.ts";

export function BridgesPage() {
  return (
    <section class="page" aria-labelledby="page-title">
      <h2 id="page-title">{TEXT.pages.bridges}</h2>
    </section>
  );
}
