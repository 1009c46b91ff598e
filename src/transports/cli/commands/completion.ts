import { Argument, type Command } from "commander";
import type { Cli } from "../cli.js";
import { completionScript, SHELLS, type Shell } from "../completion.js";

export function registerCompletion(program: Command, cli: Cli): void {
  program
    .command("completion")
    .description("Print a script that lets a shell complete commands and options with the tab key.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", HOW_TO_USE)
    .action((shell: Shell) => {
      const script = completionScript(shell, program);
      // No --json: the output is for a shell.
      cli.output.write(script);
    });
}

const HOW_TO_USE = `
It completes commands, options and their fixed values without accessing the memory, and file names elsewhere.

To use it:
  bash   echo 'source <(recollect completion bash)' >> ~/.bashrc
  zsh    echo 'source <(recollect completion zsh)' >> ~/.zshrc      (after compinit)
  fish   recollect completion fish > ~/.config/fish/completions/recollect.fish
`;
