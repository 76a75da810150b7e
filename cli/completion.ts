/** Completion in shells: each asks this program what may come next. */
import { Argument, type Command } from 'commander'
import { exitCodes } from './failure.ts'

/** Commands of a program that people see. */
const visible = (command: Command): Command[] => command.createHelp().visibleCommands(command)

const namesOf = (command: Command): string[] => visible(command).map((each) => each.name())

/**
 * The words that may follow those typed after the name of the program, the last of which is begun.
 */
function candidates(program: Command, words: readonly string[]): string[] {
  const begin = words.at(-1) ?? ''
  let command = program
  let previous = ''
  for (const word of words.slice(0, -1)) {
    command = visible(command).find((each) => each.name() === word) ?? command
    previous = word
  }
  const options = [...command.options, ...(command === program ? [] : program.options)]
  const waiting = options.find(({ long, short }) => previous === long || previous === short)
  const takesValue = waiting !== undefined && (waiting.required || waiting.optional)
  const flags = options.flatMap(({ long }) => long ?? [])
  const found = takesValue
    ? (waiting.argChoices ?? [])
    : begin.startsWith('-')
      ? flags
      : namesOf(command)
  return [...new Set(found)].filter((each) => each.startsWith(begin)).sort()
}

const scripts: Readonly<Record<string, string>> = {
  bash: `_mooring() {
  local IFS=$'\\n'
  COMPREPLY=($(mooring complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _mooring mooring`,
  zsh: `#compdef mooring
_mooring() {
  local -a found
  found=(\${(f)"$(mooring complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _mooring mooring`,
  fish: `function __mooring_complete
  set -l words (commandline -opc)[2..] (commandline -ct)
  mooring complete -- $words 2>/dev/null
end
complete -c mooring -f -a '(__mooring_complete)'`,
}

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('Print a script that completes commands in a shell')
    .description(
      `Print a script that completes commands in a shell.

  bash:  source <(mooring completion bash)     in ~/.bashrc
  zsh:   source <(mooring completion zsh)      in ~/.zshrc, after compinit
  fish:  mooring completion fish | source      in ~/.config/fish/config.fish`,
    )
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .action((shell: string) => void process.stdout.write(`${scripts[shell]}\n`))
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      for (const each of candidates(program, words)) process.stdout.write(`${each}\n`)
      process.exitCode = exitCodes.done
    })
}
