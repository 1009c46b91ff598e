/** Text at a position on an A4 page (595 × 842 points): x from the left, y from the top to the baseline. */
export interface WrittenText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  /** In points. */
  readonly size: number;
}

/** A PDF in Helvetica with its texts at exact positions, in the given order. */
export function writtenPdf(pages: readonly (readonly WrittenText[])[]): Uint8Array {
  const kids = pages.map((_, at) => `${4 + 2 * at} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ...pages.flatMap((texts, at) => {
      const stream = texts.map(shown).join("\n");
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R >> >> /Contents ${5 + 2 * at} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF`;
  return Buffer.from(file + table + trailer, "latin1");
}

function shown({ text, x, y, size }: WrittenText): string {
  return `BT /F ${size} Tf ${x} ${842 - y} Td (${text.replace(/[\\()]/g, (sign) => `\\${sign}`)}) Tj ET`;
}

/** Lines of one paragraph, one below the other. */
export function writtenLines(lines: readonly string[], from: Omit<WrittenText, "text">, leading = 1.2): WrittenText[] {
  return lines.map((text, at) => ({ ...from, text, y: from.y + at * leading * from.size }));
}
