/** The value below which this share of the sorted values lies; undefined for an empty list. */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function sorted(values) {
  return [...values].sort((a, b) => a - b);
}

export function median(values) {
  return percentile(sorted(values), 0.5);
}

/**
 * The exponent of the size that fits the values best (least squares on logarithms): 0 is constant, 1 grows with the size.
 * Undefined with fewer than two points above zero.
 */
export function growthExponent(points) {
  const logs = points.filter(({ size, value }) => size > 0 && value > 0);
  if (logs.length < 2) return undefined;
  const pairs = logs.map(({ size, value }) => [Math.log(size), Math.log(value)]);
  const mean = (at) => pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length;
  const [middleX, middleY] = [mean(0), mean(1)];
  const covariance = pairs.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  const variance = pairs.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  return variance === 0 ? undefined : covariance / variance;
}
