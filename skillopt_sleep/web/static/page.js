// What an open page does by itself: it says whether the dashboard has ended or was started again, and keeps a part of
// it up to date. The server answers /alive with 204, and with 401 if it is another one than the page came from.
const alive = new URL("../alive", document.currentScript.src);
const ended = document.getElementById("ended");
const renewed = document.getElementById("renewed");

function ask(address) {
  return fetch(address, { cache: "no-store", signal: AbortSignal.timeout(2500) });
}

function say(state) {
  ended.hidden = state !== "ended";
  renewed.hidden = state !== "renewed";
}

async function look() {
  if (document.hidden) return;
  try {
    const answer = await ask(alive);
    say(answer.status === 401 ? "renewed" : "alive");
  } catch (error) {
    if (error.name !== "TimeoutError") say("ended");
  }
}

// Puts the newest #live of this page in the place of the one that is shown; it says how soon to ask again.
async function refresh() {
  const shown = document.getElementById("live");
  if (!shown) return;
  try {
    // What the person is just using isn't taken away.
    const used = shown.contains(document.activeElement);
    const answer = document.hidden || used ? null : await ask(location.href);
    const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
    const newest = page?.getElementById("live");
    if (newest) shown.replaceWith(newest);
  } catch {
    // look() says what is wrong
  }
  setTimeout(refresh, 1000 * document.getElementById("live").dataset.seconds);
}

setInterval(look, 3000);
setTimeout(refresh, 2000);
document.addEventListener("visibilitychange", look);
// What was typed would be lost with the page.
document.addEventListener("submit", event => {
  if (!ended.hidden || !renewed.hidden) event.preventDefault();
});
