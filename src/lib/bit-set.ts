/** A set of whole numbers from 0 to 2³² - 1, with one bit for each up to the largest; for numbers that are close together. */
export class BitSet {
  #words: Uint32Array;

  /** @param largest the largest number that fits initially */
  constructor(largest = 511) {
    this.#words = new Uint32Array((largest >>> 5) + 1);
  }

  has(value: number): boolean {
    return (((this.#words[value >>> 5] ?? 0) >>> (value & 31)) & 1) === 1;
  }

  add(value: number): void {
    const place = value >>> 5;
    if (place >= this.#words.length) this.#grow(place);
    this.#words[place]! |= 1 << (value & 31);
  }

  delete(value: number): void {
    const place = value >>> 5;
    if (place < this.#words.length) this.#words[place]! &= ~(1 << (value & 31));
  }

  #grow(place: number): void {
    const words = new Uint32Array(Math.ceil((place + 1) * 1.5));
    words.set(this.#words);
    this.#words = words;
  }
}
