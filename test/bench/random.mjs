const SHIFT = 20;

/** Numbers from 0 up to 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Any of the list, each as likely as the other. */
export function any(random, list) {
  return list[Math.floor(random() * list.length)];
}

/**
 * One of the list, the first ones more often than the last: the n-th about as often as 1/(n + 20), as words and names are
 * spread in real texts once the words of grammar are left aside (Zipf and Mandelbrot).
 */
export function frequent(random, list) {
  const place = SHIFT * Math.pow((list.length + SHIFT) / SHIFT, random()) - SHIFT;
  return list[Math.min(list.length - 1, Math.floor(place))];
}

/** A whole number from `least` to `most`. */
export function between(random, least, most) {
  return least + Math.floor(random() * (most - least + 1));
}
