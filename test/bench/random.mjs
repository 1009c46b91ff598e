const SHIFT = 20;

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Any item of the list, with equal probability. */
export function any(random, list) {
  return list[Math.floor(random() * list.length)];
}

/**
 * An item of the list, the first ones more often than the last: the n-th with a probability of about 1/(n + 20), like words
 * and names in real texts without function words (Zipf and Mandelbrot).
 */
export function frequent(random, list) {
  const place = SHIFT * Math.pow((list.length + SHIFT) / SHIFT, random()) - SHIFT;
  return list[Math.min(list.length - 1, Math.floor(place))];
}

/** A whole number from `least` to `most`. */
export function between(random, least, most) {
  return least + Math.floor(random() * (most - least + 1));
}
