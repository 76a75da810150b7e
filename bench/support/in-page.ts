/**
 * The code that runs in the pages of the console while they are measured. It is text, because these
 * programs are checked without the types of a browser. All times are milliseconds since the
 * navigation.
 */
export const IN_PAGE = String.raw`
globalThis.bench = (() => {
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  /** When the first frame that has it was painted. */
  const until = async (condition) => {
    const deadline = performance.now() + 30000
    while (!condition()) {
      if (performance.now() > deadline) throw new Error('what was waited for is not shown')
      await frame()
    }
    await frame()
    return performance.now()
  }
  const all = (selector) => [...document.querySelectorAll(selector)]
  const rows = () => all('main tbody tr:not([aria-hidden])')
  const isLoading = () => all('main tr[aria-hidden], main [aria-label="Loading"]').length > 0
  const title = () => document.querySelector('main h1')?.textContent

  let enteredAt = 0
  addEventListener('keydown', ({ key, timeStamp }) => {
    if (key === 'Enter') enteredAt = timeStamp
  }, true)
  let contentfulAt = 0
  new PerformanceObserver((list) => {
    contentfulAt = list.getEntries().at(-1).startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })

  return {
    largestPaint: () => contentfulAt,
    firstRows: () => until(() => rows().length > 0 && !isLoading()),
    /** Follows a link of the navigation, until the page is there with its data. */
    async go(label, heading) {
      const link = all('nav a').find((each) => each.textContent === label)
      const startedAt = performance.now()
      link.click()
      return (await until(() => title() === heading && !isLoading())) - startedAt
    },
    /** Resolves once a filter that is entered next shows other rows. */
    async filtered() {
      const before = new Set(rows())
      enteredAt = 0
      const isShown = () => enteredAt > 0 && !isLoading() && rows().some((row) => !before.has(row))
      return (await until(isShown)) - enteredAt
    },
    /**
     * Follows the page of a job until it is completed: how long that takes in ms, how many devices
     * it has changed, how many states of its counts were shown, and the longest time between two.
     */
    async followed() {
      const startedAt = performance.now()
      let [shown, shownAt, states, longest] = ['', startedAt, 0, 0]
      const counts = () => all('main [class*="_stat_"]').map((each) => each.textContent).join()
      const isCompleted = () => all('main span').some((each) => each.textContent === 'completed')
      while (!isCompleted()) {
        await frame()
        if (performance.now() - startedAt > 600000) throw new Error('the job has not ended')
        const next = counts()
        if (next === shown) continue
        const now = performance.now()
        longest = Math.max(longest, now - shownAt)
        shown = next
        shownAt = now
        states += 1
      }
      const [, devices] = /Succeeded(\d+(?:,\d{3})*)/.exec(counts())
      return { ms: performance.now() - startedAt, states, longest, devices }
    },
    /** Shows the next page of a list. */
    async more() {
      const { length } = rows()
      const startedAt = performance.now()
      all('main button').find((each) => each.textContent === 'Show more').click()
      return (await until(() => rows().length > length)) - startedAt
    },
  }
})()
`
