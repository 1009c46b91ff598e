import { html, type Html } from "../../../pages/html.js";

export function renderTable(headings: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          ${headings.map((heading) => html`<th>${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
