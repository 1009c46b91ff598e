/** Faxes and scans have fewer pages than this. */
const MOST_PAGES = 1_000;
const BYTES_OF_ENTRY = 12;
const FIRST_PAGE_AT = 4;

/**
 * The pages of a TIFF, each as a file that begins with that page: image readers look only at the first. All share one buffer,
 * which is modified from page to page. Damage after a page ends the sequence.
 */
export function* tiffPages(bytes: Uint8Array): Generator<Uint8Array> {
  const file = Uint8Array.from(bytes);
  const view = new DataView(file.buffer);
  const isLittle = view.getUint8(0) === 0x49;
  const seen = new Set<number>();
  let page = view.getUint32(FIRST_PAGE_AT, isLittle);
  do {
    seen.add(page);
    view.setUint32(FIRST_PAGE_AT, page, isLittle);
    yield file;
    page = nextPage(view, page, isLittle);
  } while (page !== 0 && !seen.has(page) && seen.size < MOST_PAGES);
}

/** Offset of the page after this one; 0 after the last. */
function nextPage(view: DataView, page: number, isLittle: boolean): number {
  try {
    return view.getUint32(page + 2 + view.getUint16(page, isLittle) * BYTES_OF_ENTRY, isLittle);
  } catch {
    // Read past the last byte.
    return 0;
  }
}
