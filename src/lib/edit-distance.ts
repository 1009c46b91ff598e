/**
 * How many characters have to be added, removed, replaced or swapped with their neighbour to turn one text into the
 * other. Takes time proportional to the product of their lengths: meant for short names.
 */
export function editDistance(one: string, other: string): number {
  const width = other.length + 1;
  let beforeLast = new Uint16Array(width);
  let last = Uint16Array.from({ length: width }, (_, index) => index);
  let current = new Uint16Array(width);
  for (let row = 1; row <= one.length; row++) {
    current[0] = row;
    for (let column = 1; column < width; column++) {
      const isSame = one[row - 1] === other[column - 1];
      let least = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwapped) least = Math.min(least, beforeLast[column - 2]! + 1);
      current[column] = least;
    }
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return last[other.length]!;
}
