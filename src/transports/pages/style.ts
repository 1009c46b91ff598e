/** The style of all pages: one column, the system's fonts and colours, light and dark. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1d21; --soft: #565b66; --paper: #f6f5f2; --card: #fff; --line: #d5d3cc;
  --accent: #1f5c4d; --on-accent: #fff; --warn: #8f2413; --warn-paper: #fdeeea; --edge: #8a8779; }
@media (prefers-color-scheme: dark) { :root { --ink: #ecebe7; --soft: #b0b3ba; --paper: #16181b; --card: #1f2226;
  --line: #3a3e45; --accent: #7fd1b9; --on-accent: #0d211b; --warn: #ffb4a5; --warn-paper: #3a1d17; --edge: #7d828c; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 5vh 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 1.75rem 2rem 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 14px; }
.brand { margin: 0 0 1.25rem; font-weight: 650; letter-spacing: .01em; color: var(--accent); }
h1 { margin: 0 0 1rem; font-size: 1.45rem; line-height: 1.25; text-wrap: balance; }
p { margin: 0 0 1rem; } p, dd, label, li { overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: .92rem; }
.warning { padding: .7rem .9rem; border-radius: 8px; background: var(--warn-paper); color: var(--warn); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; margin: 0 0 1.25rem; padding: .9rem 1rem;
  border: 1px solid var(--line); border-radius: 8px; }
dt { color: var(--soft); } dd { margin: 0; }
fieldset { margin: 0 0 1.1rem; padding: .6rem 1rem .8rem; border: 1px solid var(--line); border-radius: 8px; }
legend { padding: 0 .35rem; font-weight: 600; }
fieldset label { display: flex; gap: .6rem; align-items: baseline; padding: .18rem 0; }
.choices { max-height: 13rem; overflow: auto; margin: .2rem 0 0 1.6rem; }
.field { display: block; margin: 0 0 1.1rem; font-weight: 600; }
.field input, .field select { display: block; width: 100%; margin-top: .3rem; font-weight: 400; }
.choices .field { margin: .4rem 0 0; font-weight: 400; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.1rem; }
.entries { margin: 0 0 1rem; padding-left: 1.2rem; } .entries li { margin: 0 0 .5rem; }
main > :last-child { margin-bottom: 0; } form + p { margin-top: 1.2rem; }
input[type=text], input[type=password], select { padding: .6rem .7rem; font: inherit; color: inherit;
  background: var(--paper); border: 1px solid var(--edge); border-radius: 8px; }
input[type=radio], input[type=checkbox] { accent-color: var(--accent); inline-size: 1.05rem; block-size: 1.05rem;
  flex: none; translate: 0 .15rem; }
.code input { font: 1.5rem/1.2 ui-monospace, monospace; letter-spacing: .12em; text-transform: uppercase; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.4rem; }
button { padding: .62rem 1.25rem; font: inherit; font-weight: 600; border-radius: 8px; cursor: pointer;
  color: var(--ink); background: transparent; border: 1px solid var(--edge); }
button.main { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
footer { max-width: 34rem; margin: 1rem auto 0; padding: 0 .5rem; color: var(--soft); font-size: .92rem; }
footer form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; justify-content: space-between; }
footer button { padding: .35rem .8rem; font-weight: 500; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) { main { padding: 1.25rem 1.1rem 1.5rem; } dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; } }
`;
