/**
 * Detects passwords that attackers try first. Guessing tools vary popular words by case, digit
 * substitutions, and digits or punctuation around them; so this file lists each word once, and a
 * password is reduced to its base word before it is looked up.
 */

/** Words that are too common in any case and with any digits or punctuation around them. */
const WORDS = `
password passwort passwd passphrase pass contrasena senha motdepasse wachtwoord parola haslo salasana losenord
admin administrator administrateur administrador root superuser sysadmin operator user username guest default
manager master supervisor service support system server database oracle postgres mysql mongodb redis mqtt broker
device devices sensor factory gateway router firmware console cloud azure amazon google facebook instagram
twitter linkedin myspace youtube microsoft windows apple samsung android iphone nokia sony nintendo playstation
mooring letmein letmeinnow letmeinplease welcome welcomehome hello helloworld hellohello login logmein signin
access secret secrets topsecret mysecret private changeme changeit changethis changemenow pleasechange temp
temporary test tester testing testtest testuser demo example sample dummy nothing nopassword mypassword
yourpassword thepassword passwordpassword whatever iloveyou iloveu iloveme ilovehim iloveher ilovegod
iloveyousomuch loveme loveyou lovelove lover lovers lovely forever foreverlove together always
qwerty qwertyuiop qwertyui qwertyqwerty qwertz qwertzuiop azerty azertyuiop asdfgh asdfghjk asdfghjkl asdf
asdfasdf asdasd asdasdasd zxcvbn zxcvbnm zxcv qazwsx qazwsxedc qweasd qweasdzxc qweqwe qweqweqwe poiuytrewq
lkjhgfdsa mnbvcxz dvorak abcabc abcd abcde abcdef abcdefg abcdefgh abcdefghi abcdefghij abc aaa abcabcabc
trustno trustnoone trustme letmego nevermind superman batman spiderman ironman hulk wolverine deadpool
starwars startrek skywalker darthvader jedimaster yoda matrix gandalf frodo hobbit pokemon pikachu naruto
mickeymouse minnie donald snoopy garfield tinkerbell hellokitty spongebob scoobydoo barbie
dragon dragons monkey monkeys tiger tigers lion eagle eagles falcon falcons panther panthers wolf shark
dolphin dolphins horse horses butterfly turtle elephant kitty kitten puppy doggie dog cat bulldog spider
baseball basketball football footbal soccer hockey golf golfer tennis volleyball softball swimming wrestling
chelsea arsenal liverpool liverpoolfc manchester manutd united barcelona realmadrid juventus milan benfica
yankees redsox cowboys steelers packers patriots lakers celtics raiders broncos giants rangers
mustang corvette camaro ferrari porsche mercedes lamborghini toyota honda yamaha kawasaki harley harleydavidson
summer winter spring autumn sommer fruhling herbst january february march april may june july august september
october november december monday tuesday wednesday thursday friday saturday sunday christmas halloween
sunshine sunflower rainbow moonlight starlight snowball thunder lightning diamond diamonds crystal silver golden
purple orange yellow green blue black white pink cherry strawberry banana pineapple peaches apples chocolate
cookie cookies cheese pepper ginger sugar honey candy cupcake pizza coffee whiskey vodka beer marlboro
princess prince queen king angel angels babygirl babyboy babydoll baby sweetheart sweetie sweety beautiful
gorgeous handsome sexy hottie darling cutie precious lovebug tigger rockstar superstar shadow phoenix ninja
samurai warrior knight wizard pirate viking hunter killer assassin sniper soldier ranger hacker gamer
michael michelle jessica jennifer jordan ashley nicole daniel andrew joshua matthew anthony robert william
richard charlie george thomas james john david joseph jonathan christian christopher alexander alexandra
alexandre alexis samantha amanda melissa stephanie elizabeth victoria veronica patricia barbara caroline
catherine katherine danielle gabriel gabriela isabella sophia olivia natasha vanessa sabrina tiffany brandon
justin tyler austin dakota taylor morgan maggie buster bailey hannah harley sophie maxwell oliver oscar
benjamin samuel patrick sebastian dominic fernando francisco alejandro eduardo roberto ricardo antonio
mohammed muhammad ahmed fatima svetlana vladimir dimitri sergey natalia tatiana
computer internet network keyboard laptop desktop website webmaster email hotmail yahoo gmail
freedom liberty peace america american england london paris berlin newyork california texas florida canada
australia germany france russia brasil brazil argentina mexico india china japan
jesus jesuschrist jesusislord godisgood blessed blessing heaven faith church bible trinity
metallica nirvana slipknot ironmaiden acdc beatles rolling eminem tupac madonna greenday linkinpark blink
minecraft roblox fortnite overwatch warcraft worldofwarcraft starcraft counterstrike leagueoflegends halo
zelda mario supermario sonic finalfantasy pacman tetris
fuckyou fuckme fuckoff fucker fuck asshole bullshit bitch pussy blowjob
everton blahblah whatsup hahaha hahahaha bonjour doudou chouchou soleil loulou azertyqwerty hallo hallohallo
schatz schatzi liebe ichliebedich teamo teamomucho amor amore tequiero corazon bonita estrella hola mariposa
ciao ciaociao juventusfc forzamilan privet lubov zaq zaqxsw secure security safe safety money rich
business company corporate office finance sales marketing student teacher school college university
happy happyday smile smiley friends friend bestfriend family mother father sister brother mommy daddy
birthday anniversary lucky luckyday success winner champion victory power energy music guitar dancer
dancing flower flowers garden nature ocean beach island mountain river forest
`

/** Common passwords that contain digits in the middle. */
const WHOLE = `
1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 1qaz1qaz 2wsx3edc 3edc4rfv zaq12wsx zaq1xsw2
zaq1zaq1 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qwe123qwe 123qweasd 123qweasdzxc 123qwe123 1a2b3c4d a1b2c3d4 a1b2c3d4e5
1234qwer 12345qwert 123456qwerty 12qwaszx 1234abcd 123abc123 abc123abc abcd1234 a123456789 aa123456 aa12345678
1password 1234password 123password 147258369 159357456 159753456 741852963 789456123 963852741 987654321
0987654321 9876543210 123454321 1234554321 12344321 11223344 1122334455 112233445566 10203040 1020304050 12131415
12341234 123123123 123321123 121212121 13131313 131313131 14141414 147147147 147852369 12121212 21212121 23232323
69696969 01234567 012345678 0123456789 010203040506 19841984 19851985 19861986 19871987 19881988 19891989 19901990
19911991 20002000 20012001 20102010 20202020 20212021 20222022 20232023 20242024 20252025 20262026 31415926
314159265 3141592653 27182818 16777216 4815162342 8675309867 5201314520 woaini1314 woaini520 woaini521 p0o9i8u7
mnbvcxz1 m1n2b3v4 asdf1234 asd123asd zxc123zxc zxcvbnm1 qwer1234 qwert12345 q123456789 w123456789 z123456789
1234567q 12345678a 123456789a 123456789q 1234567890a 1234567890q a12345678 q12345678 x12345678 11111111a r2d2c3po
thx1138thx ncc1701d ncc1701e ncc1701a jordan23jordan blink182blink area51area51 abc12345abc 007bond007 bond007bond
`

const SWAPPED: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Sequences on keyboards, in the alphabet, and of digits. */
const ROWS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
]

const listOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')
const reverse = (text: string): string => Array.from(text).toReversed().join('')

/** A 1 may stand for i or l, so both letters are treated as the same. */
const unswapped = (text: string): string =>
  text.replace(/[013457@$!]/g, (sign) => SWAPPED[sign] ?? sign).replaceAll('l', 'i')

/** Maps shifted digits back, so that `!QAZ` is recognized like `1qaz`. */
const unshifted = (text: string): string =>
  text.replace(/[!@#$%^&*()]/g, (sign) => `${')!@#$%^&*('.indexOf(sign)}`)

const words = new Set(listOf(WORDS).map(unswapped))
const whole = new Set(listOf(WHOLE))
const rows = [...ROWS, ...ROWS.map(reverse)]

/** Whether the password is one that attackers try first, ignoring case. */
export function isCommonPassword(password: string): boolean {
  // No word is longer than this with what is commonly put around it.
  if (password.length > 40) return isRepetition(password)
  const text = password.toLowerCase()
  const digits = unshifted(text)
  return whole.has(digits) || isRepetition(text) || isRowWalk(digits) || isDecoratedWord(text)
}

/**
 * Whether the password is made of words about the account that it is for, such as its address, with
 * common words, digits and punctuation in between.
 * @param about texts, such as an address or a name; each and its words count
 */
export function isMadeOf(password: string, about: readonly string[]): boolean {
  const text = password.toLowerCase()
  if (about.some((each) => each.toLowerCase() === text)) return true
  if (text.length > 128) return false
  const own = new Set(about.flatMap(splitWords).map(unswapped))
  const inner = text.replace(/^[^\p{L}]{0,6}/u, '').replace(/[^\p{L}]{0,6}$/u, '')
  const letters = [text, unswapped(text), unswapped(inner)].map((each) =>
    each.replaceAll(NO_LETTER, ''),
  )
  return [...letters, text.replaceAll(NO_SIGN, '')].some(
    // Words that are the smaller part of a password do not make it easy to guess.
    (each) => each.length * 2 >= text.length && isSequence(unswapped(each), own),
  )
}

const NO_LETTER = /[^\p{L}]/gu
const NO_SIGN = /[^\p{L}\p{N}]/gu

/** A text as a whole and word by word, with and without digits; short words are everywhere. */
function splitWords(text: string): string[] {
  const words = [NO_LETTER, NO_SIGN].flatMap((gap) => {
    const parts = text.toLowerCase().split(gap)
    return [parts.join(''), ...parts]
  })
  return words.filter((word) => word.length >= 3)
}

/** Whether the letters are words one after another, at least one of them from `own`. */
function isSequence(letters: string, own: ReadonlySet<string>): boolean {
  /** For each end of a sequence: whether one of its words is from `own`. */
  const ends = new Map([[0, false]])
  for (let end = 3; end <= letters.length; end++) {
    for (let start = 0; start <= end - 3; start++) {
      const before = ends.get(start)
      const word = letters.slice(start, end)
      const isOwn = own.has(word)
      if (before === undefined || !(isOwn || words.has(word))) continue
      ends.set(end, before || isOwn || ends.get(end) === true)
    }
  }
  return ends.get(letters.length) === true
}

/** A unit of at most four characters, repeated. */
function isRepetition(text: string): boolean {
  for (let piece = 1; piece <= 4; piece++) {
    if (text.slice(piece) === text.slice(0, -piece)) return true
  }
  return false
}

/** One or two runs along a keyboard row, the digits or the alphabet. */
function isRowWalk(text: string): boolean {
  const isRun = (run: string): boolean => rows.some((row) => row.includes(run))
  if (isRun(text)) return true
  for (let split = 3; split <= text.length - 3; split++) {
    if (isRun(text.slice(0, split)) && isRun(text.slice(split))) return true
  }
  return false
}

/** A common word, once or twice, with up to six non-letters before or after it. */
function isDecoratedWord(text: string): boolean {
  const isWord = (candidate: string): boolean => {
    const plain = unswapped(candidate)
    const half = plain.slice(0, plain.length / 2)
    return words.has(plain) || (words.has(half) && half + half === plain)
  }
  const before = /^[^\p{L}]{0,6}/u.exec(text)?.[0].length ?? 0
  const behind = /[^\p{L}]{0,6}$/u.exec(text)?.[0].length ?? 0
  for (let from = 0; from <= before; from++) {
    for (let split = 0; split <= behind && from + split < text.length; split++) {
      if (isWord(text.slice(from, text.length - split))) return true
    }
  }
  return false
}
