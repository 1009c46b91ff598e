/** The part of the DOM that is used here. */
export interface PageElement {
  readonly tagName: string;
  readonly children: Iterable<PageElement>;
  readonly parentElement: PageElement | null;
  readonly nextElementSibling: PageElement | null;
  textContent: string | null;
  readonly outerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  closest(selector: string): PageElement | null;
  replaceWith(...nodes: (PageElement | string)[]): void;
  append(...nodes: unknown[]): void;
  after(...nodes: PageElement[]): void;
  remove(): void;
  readonly childNodes: Iterable<unknown>;
}

export interface PageDocument extends PageElement {
  readonly body: PageElement | null;
  createElement(name: string): PageElement;
}

/** Parses HTML that has already been sanitised. */
export async function parsePage(html: string): Promise<PageDocument> {
  const { parseHTML } = await import("linkedom");
  const isWhole = /<html[\s>]/.test(html);
  const document: PageDocument = parseHTML(isWhole ? html : `<html><body>${html}</body></html>`).document;
  return document;
}

const NO_CONTENT = "noscript,template,svg,canvas,style,object,embed,audio,video,select,button,input,dialog:not([open])";
const HIDDEN_STYLE = /(?:^|;)\s{0,20}(?:display\s{0,20}:\s{0,20}none|visibility\s{0,20}:\s{0,20}hidden)/i;

/** Removes what no reader of the page sees. */
export function removeUnseen(document: PageDocument): void {
  for (const element of document.querySelectorAll(NO_CONTENT)) element.remove();
  for (const element of document.querySelectorAll("[hidden],[style]")) if (isHidden(element)) element.remove();
}

function isHidden(element: PageElement): boolean {
  // Some pages hide themselves entirely until their script has run.
  if (element.tagName === "BODY" || element.tagName === "HTML") return false;
  const hidden = element.getAttribute("hidden");
  if (hidden !== null && hidden !== "until-found") return true;
  return HIDDEN_STYLE.test(element.getAttribute("style") ?? "");
}
