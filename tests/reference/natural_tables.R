# Tables that R writes, for natural_tables.py: Rscript natural_tables.R FOLDER. Prints file, classes, labels, right rows.
folder <- commandArgs(TRUE)[1]
library(ranger)
set.seed(1)
write <- function(name, ...) write.csv(..., file = file.path(folder, name))
probabilities <- function(formula, data, rows)
  predict(ranger(formula, data, probability = TRUE, num.trees = 20, num.threads = 1), data[rows, ])$predictions
rows <- seq(1, 150, 25)
p <- probabilities(Species ~ Sepal.Length + Sepal.Width, iris, rows)
write("ranger.csv", data.frame(p, Species = iris$Species[rows]), row.names = FALSE)
write("ranger_frame.csv", cbind(iris[rows, ], p))
names <- data.frame(y = factor(paste0("Iris-", iris$Species)), iris)
write("ranger_names.csv", data.frame(probabilities(y ~ Sepal.Length + Sepal.Width, names, rows), y = names$y[rows]))
cars <- data.frame(y = factor(as.character(mtcars$carb * 2)), wt = mtcars$wt, hp = mtcars$hp)
rows <- seq(1, 32, 3)
write("ranger_numbers.csv", data.frame(probabilities(y ~ ., cars, rows), y = cars$y[rows]))
write("r_missing.csv", data.frame(truth = c("no", NA, "yes", "yes"), p_no = c(.9, .1, .1, .8), p_yes = c(.1, .9, .9, .2)))
right <- function(name, label, scores) {
  table <- read.csv(file.path(folder, name), check.names = FALSE)
  classes <- sub("^p_|^X", "", gsub("Iris.", "Iris-", scores, fixed = TRUE))[max.col(table[scores], "first")]
  cat(name, length(scores), sum(!is.na(table[[label]])), sum(classes == table[[label]], na.rm = TRUE), "\n")
}
flowers <- levels(iris$Species)
right("ranger.csv", "Species", flowers)
right("ranger_frame.csv", "Species", flowers)
right("ranger_names.csv", "y", paste0("Iris.", flowers))
right("ranger_numbers.csv", "y", paste0("X", levels(cars$y)))
right("r_missing.csv", "truth", c("p_no", "p_yes"))
cat(R.version$major, R.version$minor, as.character(packageVersion("ranger")), "\n")
