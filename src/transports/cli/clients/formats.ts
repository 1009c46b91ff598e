import type { ConfigFormat } from "../../../lib/config-text.js";
import { jsoncText } from "../../../lib/jsonc-text.js";
import { tomlText } from "../../../lib/toml-text.js";
import type { Client } from "./client.js";

export const CONFIG_FORMATS: Readonly<Record<Client["format"], ConfigFormat>> = { jsonc: jsoncText, toml: tomlText };
