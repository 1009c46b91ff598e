/** A drink, without what kind of it. */
export const DRINK =
  /^(?:tea|coffee|decaf|espresso|matcha|cocoa|water|juice|milk|cola|soda|lemonade|beer|wine|cider)$/i;
