import { seededRandom } from "./word-recall.js";

const WORDS = (
  "the harbour sedimentation measurement of international transportation infrastructure reveals considerable variability " +
  "between observations and computational predictions because extraordinary meteorological circumstances influence the " +
  "characteristic accumulation while fishermen and administrators communicate independently about responsibilities"
).split(" ");

const TABLE = [
  ["Port", "Depth", "Ships a year"],
  ["Hamburg", "17.5", "8,120"],
  ["Bremen", "14.1", "3,100"],
  ["Emden on the Ems", "11", "980"],
  ["Kiel", "", "5 or more"],
] as const;

/** A report of several pages, by its elements. */
export interface HarbourReport {
  readonly title: string;
  readonly sections: readonly { readonly heading: string; readonly paragraphs: readonly string[] }[];
  readonly table: readonly (readonly string[])[];
  readonly items: readonly string[];
}

/** The same report each time; the last word of each paragraph identifies it. */
export function harbourReport(sections = 5): HarbourReport {
  const random = seededRandom(7);
  const paragraph = (mark: string) => {
    const words = Array.from({ length: 90 }, () => WORDS[Math.floor(random() * WORDS.length)] ?? "");
    return `${words.join(" ").replace(/^./, (first) => first.toUpperCase())} ${mark}.`;
  };
  return {
    title: "Report of the harbours",
    sections: Array.from({ length: sections }, (_, section) => ({
      heading: `Chapter ${section + 1} of waves`,
      paragraphs: Array.from({ length: 4 }, (_, at) => paragraph(`mark${section}x${at}`)),
    })),
    table: TABLE,
    items: ["first point", "second point, which is longer"],
  };
}

/** The report as a web page. */
export function reportHtml({ title, sections, table, items }: HarbourReport): string {
  const rows = table.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("");
  const list = `<ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;
  const body = sections.map(({ heading, paragraphs }, at) => {
    const text = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("");
    return `<h2>${heading}</h2>${text}${at === 1 ? `<table border=1>${rows}</table>${list}` : ""}`;
  });
  return `<!doctype html><html><head><meta charset=utf-8><title>${title}</title></head><body><h1>${title}</h1>${body.join("")}</body></html>`;
}

/** The report as a paper in two columns, with a header, a footer and an outline. */
export function reportLatex({ title, sections, table, items }: HarbourReport): string {
  const rows = table.map((row) => row.join(" & ")).join("\\\\ ");
  const list = `\\begin{itemize}${items.map((item) => `\\item ${item}`).join("")}\\end{itemize}`;
  const body = sections.map(({ heading, paragraphs }, at) => {
    const extra = at === 1 ? `\\begin{tabular}{lrr}${rows}\\end{tabular}\n\n${list}` : "";
    return `\\section{${heading}}\n${paragraphs.join("\n\n")}\n\n${extra}`;
  });
  return `\\documentclass[10pt,twocolumn]{article}
\\usepackage{fancyhdr}\\pagestyle{fancy}\\fancyhead[L]{Journal of Shores}\\fancyhead[R]{Volume 7}\\fancyfoot[C]{\\thepage}
\\usepackage[pdftitle={${title}},pdfauthor={Ada Fisher}]{hyperref}
\\title{${title}}\\author{Ada Fisher}\\date{March 2024}
\\begin{document}\\maketitle\\thispagestyle{fancy}
${body.join("\n")}
\\end{document}`;
}
