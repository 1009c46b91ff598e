import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";

type Values = Readonly<Record<string, unknown>>;

/** Renders the templates of the chart with these values, for the few Helm actions that they use. */
export function renderChart(folder: string, values: Values): Values[] {
  const { appVersion } = parse(readFileSync(join(folder, "Chart.yaml"), "utf8")) as { appVersion: string };
  const templates = join(folder, "templates");
  return readdirSync(templates)
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) => {
      const text = render(readFileSync(join(templates, name), "utf8"), values, appVersion);
      return parseAllDocuments(text).map((document) => {
        if (document.errors[0]) throw new Error(`${name}: ${document.errors[0].message}`);
        return document.toJS() as Values;
      });
    });
}

/** Paths of the values that the templates read. */
export function valuesOfTemplates(folder: string): Set<string> {
  const templates = join(folder, "templates");
  const texts = readdirSync(templates).map((name) => readFileSync(join(templates, name), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = ""]) => path)));
}

export function valueAt(values: unknown, path: string): unknown {
  return path.split(".").reduce((value, name) => Object(value)[name], values);
}

function render(template: string, values: Values, appVersion: string): string {
  const settings = Object.entries(Object(values["settings"]));
  return template
    .replace(
      /^ *\{\{- range \$name, \$value := \.Values\.settings \}\}\n([^]*?)^ *\{\{- end \}\}\n/m,
      (_, body: string) =>
        settings
          .map(([name, value]) =>
            body.replace("{{ $name }}", name).replace(/\{\{ \$value .*\}\}/, JSON.stringify(String(value))),
          )
          .join(""),
    )
    .replace(/^ *\{\{- (?:if .*|end) \}\}\n/gm, "")
    .replace(/\{\{ (.+?) \}\}/g, (_, action: string) => {
      if (action.startsWith(".Release.")) return "memory";
      const [, isJson, path = "", fallback] =
        /^(toJson )?\.Values\.([\w.]+)( \| default \.Chart\.AppVersion)?$/.exec(action) ?? [];
      if (path === "") throw new Error(`The chart uses ${action}, which is not rendered here.`);
      const value = valueAt(values, path);
      return isJson ? JSON.stringify(value) : String(fallback && value === "" ? appVersion : value);
    });
}
