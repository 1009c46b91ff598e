import * as z from "zod";

/**
 * Paths of the REST API below a repository, with their queries as in docs.github.com (version 2022-11-28). Listed
 * here because the package with the description of the API is larger than all others together.
 */
const page = {
  per_page: z.coerce.number().int().min(1).max(100).optional(),
  page: z.coerce.number().int().min(1).optional(),
};
const sha = "[0-9a-f]{40}";
export const GITHUB_ROUTES: readonly [RegExp, z.ZodObject][] = [
  [/^$/, z.strictObject({})],
  [/^\/commits\/([^/]+)$/, z.strictObject(page)],
  [new RegExp(`^/compare/(${sha})\\.\\.\\.(${sha})$`), z.strictObject(page)],
  [new RegExp(`^/git/trees/(${sha})$`), z.strictObject({ recursive: z.string().optional() })],
  [new RegExp(`^/git/blobs/(${sha})$`), z.strictObject({})],
  [
    /^\/issues$/,
    z.strictObject({
      ...page,
      state: z.enum(["open", "closed", "all"]).optional(),
      sort: z.enum(["created", "updated", "comments"]).optional(),
      direction: z.enum(["asc", "desc"]).optional(),
      since: z.iso.datetime().optional(),
    }),
  ],
  [/^\/issues\/(\d+)$/, z.strictObject({})],
  [/^\/issues\/(\d+)\/comments$/, z.strictObject({ ...page, since: z.iso.datetime().optional() })],
];
export const graphBody = z.strictObject({
  query: z.string().regex(/orderBy: \{ field: UPDATED_AT, direction: \$direction \}|discussion\(number: \$number\)/),
  variables: z.strictObject({
    owner: z.string(),
    name: z.string(),
    after: z.string().nullable(),
    direction: z.enum(["ASC", "DESC"]).optional(),
    number: z.int().optional(),
  }),
});
