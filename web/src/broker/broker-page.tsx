import { TEXT } from "../strings.ts";

export function BrokerPage() {
  return (
    <section class="page" aria-labelledby="page-title">
      <h2 id="page-title">{TEXT.pages.broker}</h2>
    </section>
  );
}
