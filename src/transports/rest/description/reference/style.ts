/** The style of the reference page, light or dark as the reader's system is. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #5b6470; --line: #dfe3e8; --back: #ffffff; --panel: #f6f8fa; --link: #0b62c4; --get: #1a7f37; --post: #0b62c4; --put: #8a5a00; --delete: #b42318; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --soft: #9aa4b0; --line: #2c333b; --back: #14181c; --panel: #1c2127; --link: #6cb0ff; --get: #57c26f; --post: #6cb0ff; --put: #e0b04c; --delete: #ff8a80; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.88em; }
code { overflow-wrap: anywhere; }
.layout { display: grid; grid-template-columns: 19rem minmax(0, 1fr); max-width: 80rem; margin: 0 auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: 0.88rem; }
nav h2 { margin: 1.2rem 0 0.3rem; font-size: 0.78rem; text-transform: uppercase; letter-spacing: 0.06em; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: 0.15rem 0; }
nav a { color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
main { padding: 1.5rem 2rem 4rem; min-width: 0; }
h1 { margin: 0 0 1rem; font-size: 1.9rem; }
main > section > h2 { margin: 3rem 0 0.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.4rem; }
article { margin: 2.2rem 0; }
article h3 { margin: 0 0 0.2rem; font-size: 1.05rem; overflow-wrap: anywhere; }
article h4 { margin: 1rem 0 0.3rem; font-size: 0.85rem; color: var(--soft); }
.method { font: 700 0.8rem ui-monospace, monospace; margin-right: 0.5rem; color: var(--post); }
.method-get { color: var(--get); }
.method-put, .method-patch { color: var(--put); }
.method-delete { color: var(--delete); }
.summary { margin: 0 0 0.4rem; font-weight: 600; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.8rem 0.35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
.type { color: var(--soft); overflow-wrap: anywhere; }
.required { font-size: 0.75rem; color: var(--delete); }
.rules { color: var(--soft); font-size: 0.85rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.8rem 1rem; overflow-x: auto; }
@media (max-width: 55rem) { .layout { display: block; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } }
`;
